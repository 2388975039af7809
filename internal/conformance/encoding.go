package main

// encodingSuites judge what html says of charsets.
var encodingSuites = []suite{}
