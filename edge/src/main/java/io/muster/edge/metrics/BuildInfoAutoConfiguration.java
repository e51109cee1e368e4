package io.muster.edge.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Optional;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * {@code muster_build_info}: which version of which service answers, always 1. The version is the jar's; classes that lie in a
 * folder have none and say so.
 */
@AutoConfiguration
@ConditionalOnClass(MeterBinder.class)
public final class BuildInfoAutoConfiguration {

    @Bean
    MeterBinder musterBuildInfo(Environment environment) {
        String service = environment.getRequiredProperty("spring.application.name");
        String version = Optional.ofNullable(
                        BuildInfoAutoConfiguration.class.getPackage().getImplementationVersion())
                .orElse("not packaged");
        return registry -> Gauge.builder("muster.build.info", () -> 1)
                .description("Always 1; its labels tell which version of which service answers")
                .tag("service", service)
                .tag("version", version)
                .register(registry);
    }
}
