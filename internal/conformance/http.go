package main

// httpSuites judge the tables of http.
var httpSuites = []suite{}
