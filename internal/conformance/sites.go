package main

// siteSuites judge whole crawls of small sites.
var siteSuites = []suite{}
