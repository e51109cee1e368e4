package io.muster.health.heartbeat;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(HeartbeatProperties.class)
class HeartbeatConfiguration {}
