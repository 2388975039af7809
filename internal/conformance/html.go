package main

// htmlSuites judge the tables of html.
var htmlSuites = []suite{}
