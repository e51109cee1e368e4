package io.muster.embedded;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Where one PostgreSQL lives.
 *
 * @param home data, log and lock of this server; kept between starts
 * @param binaries the folder the server's programs are unpacked into; may be shared by several servers
 * @param secretsFile holds the superuser's password (mode 0600); made at the first start, needed at every later one
 * @param port the port on 127.0.0.1, or 0 for a free one
 */
public record DatabaseSettings(Path home, Path binaries, Path secretsFile, int port) {

    public DatabaseSettings {
        Objects.requireNonNull(home, "home");
        Objects.requireNonNull(binaries, "binaries");
        Objects.requireNonNull(secretsFile, "secretsFile");
        Ports.check("PostgreSQL", port);
    }
}
