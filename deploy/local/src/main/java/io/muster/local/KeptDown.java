package io.muster.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Parts that are not to be started again although they have ended: each has a file of its name in this folder, put there
 * by {@code ./muster service kill --stay-down} and taken away by {@code ./muster service start}. Asked again and again, so
 * that nothing is lost whoever comes first.
 */
record KeptDown(Path folder) {

    /** What was kept down in an earlier life of this system is started with it. */
    void forget() {
        try {
            Files.createDirectories(folder);
            try (DirectoryStream<Path> marks = Files.newDirectoryStream(folder)) {
                for (Path mark : marks) {
                    Files.deleteIfExists(mark);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot clear " + folder, e);
        }
    }

    boolean has(String part) {
        return Files.exists(folder.resolve(part));
    }
}
