// Package normtest answers: does this Normalizer keep the contract of
// urlnorm.Normalizer?
//
// A [Subject] is a Normalizer with the names of the rules by which it may merge, and
// references of its own sites. A [Check] is one law; [Run] tries them all on the
// Subject, with a corpus of ordinary, odd and hostile references:
//
//	func TestNormalizer(t *testing.T) {
//		normtest.Run(t, normtest.Subject{
//			Normalizer: shop.Normalizer{},
//			Rules:      []urlnorm.Rule{urlnorm.FoldTracking, "shop_variant"},
//			References: []string{"https://shop.test/shirt?variant=2"},
//		})
//	}
//
// The references are what the laws are tried on beside the kit's own: name some that
// each rule is for. A rule that folds none of them is a fault, and so is a reference
// that is refused.
//
// A law that holds on these references may be broken by others. Fuzz what is clever.
// What no law can see is a Version that was not changed since the last release, when
// the rules were: change both at once.
package normtest
