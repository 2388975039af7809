package main

// urlSuites judge the tables of url.
var urlSuites = []suite{}
