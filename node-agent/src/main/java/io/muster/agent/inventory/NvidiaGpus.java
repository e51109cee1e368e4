package io.muster.agent.inventory;

import io.muster.contract.node.GpuFacts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Real GPUs through {@code nvidia-smi}. A query that does not end in time is ended and counts as a failed reading; a
 * line that cannot be read fails the whole reading, because half an inventory looks like lost GPUs.
 */
public final class NvidiaGpus implements GpuDriver {

    private static final String FIELDS =
            "index,uuid,name,memory.total,temperature.gpu,power.draw,vbios_version,driver_version";
    private static final int FIELD_COUNT = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final List<String> command;
    private final InstantSource clock;

    public NvidiaGpus(InstantSource clock) {
        this(List.of("nvidia-smi", "--query-gpu=" + FIELDS, "--format=csv,noheader,nounits"), clock);
    }

    NvidiaGpus(List<String> command, InstantSource clock) {
        this.command = List.copyOf(command);
        this.clock = clock;
    }

    /** Whether there is a driver that answers with at least one GPU. */
    public boolean answers() {
        try {
            return !read().gpus().isEmpty();
        } catch (IOException absent) {
            return false;
        }
    }

    @Override
    public String name() {
        return "nvidia";
    }

    @Override
    public Reading read() throws IOException {
        Path output = Files.createTempFile("muster-nvidia-smi", ".csv");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended;
            try {
                ended = process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                ended = false;
            }
            if (!ended) {
                process.destroyForcibly();
                throw new IOException("nvidia-smi did not answer within " + PATIENCE.toSeconds() + " s");
            }
            String text = Files.readString(output, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException("nvidia-smi ended with " + process.exitValue() + ": "
                        + text.lines().findFirst().orElse(""));
            }
            return parse(text, clock.instant());
        } finally {
            Files.deleteIfExists(output);
        }
    }

    static Reading parse(String csv, Instant observedAt) throws IOException {
        List<GpuFacts> gpus = new ArrayList<>();
        String version = "none";
        for (String line : csv.lines().filter(each -> !each.isBlank()).toList()) {
            List<String> fields =
                    List.of(line.split(",", -1)).stream().map(String::strip).toList();
            if (fields.size() != FIELD_COUNT) {
                throw new IOException("nvidia-smi printed '" + line + "'; " + FIELD_COUNT + " fields were expected");
            }
            try {
                gpus.add(new GpuFacts(
                        Integer.parseInt(fields.get(0)),
                        fields.get(1),
                        fields.get(2),
                        Long.parseLong(fields.get(3)) << 20,
                        false,
                        reading(fields.get(4)),
                        reading(fields.get(5)),
                        fields.get(6),
                        observedAt));
            } catch (NumberFormatException wrong) {
                throw new IOException("nvidia-smi printed '" + line + "': " + wrong.getMessage(), wrong);
            }
            version = fields.get(7);
        }
        return new Reading(version, gpus);
    }

    private static @Nullable Integer reading(String field) {
        if (field.startsWith("[") || field.equalsIgnoreCase("N/A")) {
            return null;
        }
        return (int) Math.round(Double.parseDouble(field));
    }
}
