package io.muster.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The superuser's password in a file of mode 0600: made once, never printed. */
final class SuperuserSecret {

    private SuperuserSecret() {}

    static String readOrCreate(Path file, boolean firstStart) {
        try {
            if (Files.exists(file)) {
                return Files.readString(file).strip();
            }
            if (!firstStart) {
                throw new IllegalStateException("the database exists but its password file " + file
                        + " is gone: put the file back, or remove the database folder to begin with an empty one");
            }
            return create(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read or write the password file " + file, e);
        }
    }

    private static String create(Path file) throws IOException {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, password + "\n", StandardOpenOption.WRITE);
        return password;
    }
}
