package main

// robotsSuites judge the tables of robots.
var robotsSuites = []suite{}
