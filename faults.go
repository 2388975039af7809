// # What can go wrong
//
// Whatever is wrong before a crawl begins is an error of [New], all at once; what
// ends a crawl is an error of [Crawler.Run]; what is wrong with a URL or a page is
// no error, and stands in the receipt and in the results. In every case what was
// accepted before is kept, and what was not goes on in the next Run.
//
//	what is wrong                      answer                      what to do
//	a field of the Config, or a Dir    *ConfigError                correct every fault it lists
//	  that cannot be written
//	another process has Dir            storage.ErrLocked           end that process; the text names it
//	a damaged or cut store             storage.ErrCorrupt          restore a backup; nothing was changed
//	a store of another version         storage.ErrVersion          use the version that wrote it
//	Dir on a network file system       bolt.ErrNetwork             use a local folder
//	no seeds, and nothing unfinished   ErrNoSeeds                  pass a seed to Run
//	some seeds are refused             *SeedError                  correct them; the others were crawled
//	all seeds are refused              *SeedError, Failed is set   correct seeds or Scope; the run has failed
//	Config.Run names a run that is     ErrRunFinished              read Last, or choose another name
//	  over
//	... while another one is not       frontier.ErrRunActive       finish that one first; the text names it
//	Run while it runs                  ErrRunning                  wait for it
//	Run after or during Close          ErrClosed                   open another Crawler: Run goes on
//	ctx has ended                      ctx.Err()                   run again: it goes on
//	a bound has stopped the run        no error: the receipt is    raise the bound, and run again
//	                                     partial_resumable and
//	                                     names it
//	a bound has held references back,  no error: the receipt       begin a new run with a larger
//	  and the run is over                names it, "held back by"    Budget: this one is over
//	Wall, bytes or a paused origin     as above: the seeds are     raise the bound or end the pause,
//	  stop a Run before its seeds        not looked at               and run again with the seeds
//	the Normalizer is not the one      frontier.                   use the one it began with, or Rekey
//	  that the run began with            ErrNormalizerChanged        it as a run of another name
//	Config.Run was rekeyed             ErrRunFinished              open the run that the text names
//	the Normalizer panics              a reference refused         see the log
//	                                     {panic}, counted
//	the Policy panics                  frontier.ErrInternal        correct it, and run again
//	the process is killed              nothing: the next Run       raise Budget.Bytes if need be: each
//	                                     goes on                     lost lease is charged Budget.Response
//	the disk is full                   storage.ErrNoSpace          free some space, and run again
//	the store keeps failing            frontier.ErrStorageFailed   see the cause, and run again
//	the store has lost commits         frontier.                   restore a backup
//	                                     ErrStoreRegressed
//	OnPage fails or panics twice       a result, failed {handler}  see its Detail, and the log
//	OnPage does not return in time     a result, failed {handler}  raise HandlerTimeout, or do less
//	OnPage never returns               ErrHandlerStuck             make it return when its ctx ends
//	OnPage emits or follows too much   *LimitError                 raise the Budget, or keep less
//	OnPage emits under a bad kind      an error of Emit            name it in 1 to 256 bytes
//	OnPage is over, its Page is used   ErrPageClosed               use a Page in its OnPage only
package weir
