package io.muster.local.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScrapeTest {

    private final MetricCatalogue catalogue = MetricCatalogue.read();

    private List<String> problems(String text) {
        return Scrape.problems(catalogue, "job-service", text).stream()
                .filter(problem -> !problem.contains("does not show"))
                .toList();
    }

    @Test
    void whatTheCatalogueSaysIsNoProblem() {
        assertThat(problems("""
                # HELP muster_jobs Jobs by state and queue
                # TYPE muster_jobs gauge
                muster_jobs{queue="default",state="RUNNING"} 1.0
                # TYPE muster_job_wait_seconds histogram
                muster_job_wait_seconds_bucket{queue="nlp/\\"a, b\\"",size_class="32",le="+Inf"} 1
                muster_job_wait_seconds_count{queue="nlp",size_class="32"} 1
                muster_job_wait_seconds_max{queue="nlp",size_class="32"} 3.1E-4
                muster_outbox_fenced_total 0.0
                some_other_metric{of="a library"} NaN
                """)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "muster_unheard_of 1.0",
                "# TYPE muster_jobs counter",
                "muster_jobs{queue=\"default\"} 1.0",
                "muster_jobs{queue=\"default\",state=\"RUNNING\",tenant=\"acme\"} 1.0",
                "muster_jobs{queue=\"default\",state=\"DREAMING\"} 1.0",
                "muster_leader_epoch 1.0",
                "muster_job_wait_seconds_bucket{queue=\"nlp\",size_class=\"32\"} 1",
                "muster_job_wait_seconds{queue=\"nlp\",size_class=\"32\"} 1",
                "<html>",
            })
    void whatItDoesNotSayIsOne(String line) {
        assertThat(problems(line)).hasSize(1);
    }

    @Test
    void whatIsMissingIsOne() {
        assertThat(Scrape.problems(catalogue, "job-service", ""))
                .contains("job-service does not show muster_build_info");
    }
}
