package io.muster.edge.trace;

import jakarta.servlet.DispatcherType;
import java.security.SecureRandom;
import java.util.EnumSet;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;

/** Puts {@link TraceFilter} in front of every other filter. */
@AutoConfiguration
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class TraceAutoConfiguration {

    @Bean
    FilterRegistrationBean<TraceFilter> musterTraceFilter() {
        FilterRegistrationBean<TraceFilter> filter = new FilterRegistrationBean<>(new TraceFilter(new SecureRandom()));
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
        filter.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
        return filter;
    }
}
