package io.muster.edge.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class BuildInfoAutoConfigurationTest {

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withPropertyValues("spring.application.name=job-service")
            .withConfiguration(AutoConfigurations.of(BuildInfoAutoConfiguration.class));

    @Test
    void aServiceTellsItsNameAndVersion() {
        service.run(context -> {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            context.getBean(MeterBinder.class).bindTo(registry);
            var gauge = registry.get("muster.build.info")
                    .tag("service", "job-service")
                    .tag("version", "not packaged")
                    .gauge();
            assertThat(gauge.value()).isEqualTo(1);
        });
    }

    @Test
    void aServiceWithoutMetricsStartsAllTheSame() {
        service.withClassLoader(new FilteredClassLoader(MeterBinder.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("musterBuildInfo"));
    }
}
