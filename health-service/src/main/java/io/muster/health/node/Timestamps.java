package io.muster.health.node;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Instants as PostgreSQL's driver takes and gives them. */
public final class Timestamps {

    private Timestamps() {}

    public static OffsetDateTime of(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    public static @Nullable OffsetDateTime orNull(@Nullable Instant instant) {
        return instant == null ? null : of(instant);
    }

    public static Instant read(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(readOrNull(row, column), column);
    }

    public static @Nullable Instant readOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
