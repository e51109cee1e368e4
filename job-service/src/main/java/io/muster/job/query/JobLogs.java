package io.muster.job.query;

import io.muster.contract.id.JobId;
import io.muster.contract.id.TenantId;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Logs of ranks, which their agents append to in the store under {@code logs/tenant/job/attempt/rank-r.log}. Every part
 * of the path is a checked id or number; what a link in the store leads out of the tenant's folder is not served.
 */
@Component
class JobLogs {

    private static final int CHUNK = 64 * 1024;
    private static final long TAIL_WINDOW = 8L * 1024 * 1024;
    private static final long LOOK_AGAIN_MILLIS = 250;

    private final Path root;

    JobLogs(@Value("${muster.store.root}") Path root) {
        this.root = root;
    }

    /** Empty if nothing has been written. */
    Optional<Path> find(TenantId tenant, JobId job, int attempt, int rank) throws IOException {
        Path own = root.resolve("logs").resolve(tenant.value());
        Path log = own.resolve(job.value()).resolve(Integer.toString(attempt)).resolve("rank-" + rank + ".log");
        if (!Files.isRegularFile(log)) {
            return Optional.empty();
        }
        Path real = log.toRealPath();
        return real.startsWith(root.toRealPath().resolve("logs").resolve(tenant.value()))
                ? Optional.of(real)
                : Optional.empty();
    }

    /** Writes what there is from a position and answers the position reached; a file that was cut begins anew. */
    long copy(Path log, long from, OutputStream to) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long position = from > file.length() ? 0 : from;
            file.seek(position);
            byte[] chunk = new byte[CHUNK];
            int read = file.read(chunk);
            while (read > 0) {
                to.write(chunk, 0, read);
                position += read;
                read = file.read(chunk);
            }
            to.flush();
            return position;
        }
    }

    /** Copies what comes until the writer is over and everything is copied. */
    void follow(Path log, long from, OutputStream to, BooleanSupplier over) throws IOException {
        long position = from;
        boolean last = false;
        while (true) {
            position = copy(log, position, to);
            if (last || !pause()) {
                return;
            }
            last = over.getAsBoolean();
        }
    }

    /** False when this service is being stopped. */
    static boolean pause() {
        try {
            return !new CountDownLatch(1).await(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Where the last so many lines begin; looks at the last 8 MiB at most. */
    long tailPosition(Path log, int lines) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            long length = file.length();
            long start = Math.max(0, length - TAIL_WINDOW);
            byte[] window = new byte[(int) (length - start)];
            file.seek(start);
            file.readFully(window);
            int found = 0;
            for (int i = window.length - 2; i >= 0; i--) {
                if (window[i] == '\n' && ++found == lines) {
                    return start + i + 1;
                }
            }
            return start;
        }
    }
}
