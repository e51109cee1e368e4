package io.muster.job.metrics;

import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Lets the gauges be read regularly. */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class MetricsConfiguration {}
