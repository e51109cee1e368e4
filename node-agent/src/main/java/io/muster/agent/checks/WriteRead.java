package io.muster.agent.checks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * A folder must take bytes, flush them and give the same back; used for the local disk (disk_write_read) and for the
 * store (store_reachable). An I/O error is a FAIL: the folder is there to be written to.
 */
record WriteRead(String name, Path folder, int bytes, Duration limit, RandomGenerator random) implements Check {

    @Override
    public Finding look() {
        Path file = folder.resolve(name + "-" + Long.toHexString(random.nextLong()));
        long begun = System.nanoTime();
        try {
            Files.createDirectories(folder);
            byte[] written = new byte[bytes];
            random.nextBytes(written);
            write(file, written);
            byte[] back = Files.readAllBytes(file);
            long millis = (System.nanoTime() - begun) / 1_000_000;
            return Arrays.equals(written, back)
                    ? Finding.pass((bytes >> 10) + " KiB written, flushed and read back in " + millis + " ms")
                    : Finding.fail(
                            folder + " gave back other bytes than were written at " + Arrays.mismatch(written, back));
        } catch (IOException broken) {
            return Finding.fail(
                    folder + " cannot be used: " + broken.getClass().getSimpleName() + " " + broken.getMessage());
        } finally {
            delete(file);
        }
    }

    private static void write(Path file, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }

    private static void delete(Path file) {
        if (!file.toFile().delete()) {
            file.toFile().deleteOnExit();
        }
    }
}
