package io.muster.job;

import io.muster.testing.TestInfrastructure;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;

/** The whole service on a real database and broker; the other services are scripted. One context for all such tests. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.config.name=job-service",
            "logging.level.root=WARN",
            "logging.level.org.apache.kafka=ERROR"
        })
@ContextConfiguration(initializers = TestDoor.class)
@Import({TestInfrastructure.class, TestNeighbours.class})
public @interface JobServiceTest {}
