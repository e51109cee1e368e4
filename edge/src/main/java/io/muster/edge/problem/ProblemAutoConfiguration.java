package io.muster.edge.problem;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.json.JsonMapper;

/** Makes every refusal and failure a problem, whoever notices it: controller, framework, filter, container. */
@AutoConfiguration(
        beforeName = {
            "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration",
            "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration"
        },
        afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class ProblemAutoConfiguration {

    /** After the security chain, so that only known callers make us read a body. */
    private static final int AFTER_SECURITY = 0;

    @Bean
    @ConditionalOnMissingBean
    ProblemWriter problemWriter(JsonMapper json) {
        return new ProblemWriter(json);
    }

    @Bean
    ProblemAdvice problemAdvice() {
        return new ProblemAdvice();
    }

    @Bean
    @ConditionalOnMissingBean(ErrorController.class)
    ProblemErrorController problemErrorController() {
        return new ProblemErrorController();
    }

    @Bean
    FilterRegistrationBean<BodyLimitFilter> bodyLimit(ProblemWriter writer) {
        FilterRegistrationBean<BodyLimitFilter> filter = new FilterRegistrationBean<>(new BodyLimitFilter(writer));
        filter.setOrder(AFTER_SECURITY);
        filter.addUrlPatterns("/api/*", "/internal/*");
        return filter;
    }

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    WebMvcConfigurer strictBodies(JsonMapper json) {
        return new WebMvcConfigurer() {
            @Override
            public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
                converters.withJsonConverter(new JacksonJsonHttpMessageConverter(StrictJson.of(json)));
            }
        };
    }

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE)
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemPages(JsonMapper json) {
        // the valve added last is asked first
        return factory -> factory.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new ProblemReportValve(json)));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {
                "org.springframework.dao.DataAccessException",
                "org.springframework.transaction.TransactionException"
            })
    static class WithDatabase {

        @Bean
        DataFailureAdvice dataFailureAdvice() {
            return new DataFailureAdvice();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.github.resilience4j.circuitbreaker.CallNotPermittedException")
    static class WithCircuitBreakers {

        @Bean
        ResilienceFailureAdvice resilienceFailureAdvice() {
            return new ResilienceFailureAdvice();
        }
    }
}
