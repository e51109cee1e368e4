package io.muster.job.cluster;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Who this cluster is. The incarnation was made with the database by its first migration; agents obey no other, so a
 * database that was lost and made anew cannot order anyone to stop what still runs.
 */
@Component
public class ClusterIdentity {

    private final String clusterId;
    private final String incarnation;

    ClusterIdentity(JdbcClient jdbc) {
        this.clusterId =
                jdbc.sql("select cluster_id from cluster").query(String.class).single();
        this.incarnation =
                jdbc.sql("select incarnation from cluster").query(String.class).single();
    }

    public String clusterId() {
        return clusterId;
    }

    public String incarnation() {
        return incarnation;
    }
}
