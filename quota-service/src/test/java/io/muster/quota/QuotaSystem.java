package io.muster.quota;

import io.muster.testing.TestInfrastructure;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;

/** The whole service over HTTP, with a real database and broker; all classes that wear it share one context. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        classes = QuotaServiceApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = "spring.config.name=quota-service")
@ContextConfiguration(initializers = Keys.Initializer.class)
@Import({TestInfrastructure.class, Http.class})
public @interface QuotaSystem {}
