package org.springframework.web.bind.annotation;

/** Stands for the real one, which this module does not need. */
public @interface RestController {}
