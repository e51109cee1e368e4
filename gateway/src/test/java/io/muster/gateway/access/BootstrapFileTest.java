package io.muster.gateway.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

final class BootstrapFileTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            rw-r----- | {"tenants":[],"keys":[]}                                                                 | chmod 600
            rw----r-- | {"tenants":[],"keys":[]}                                                                 | chmod 600
            rw------- | {"tenants":[],"keys":[{"name":"n","tenant":"default","role":"ADMIN","secret":"mk_bad"}]} | key 'n'
            rw------- | {"tenants":[],"keys":[{"name":"n","tenant":"default","role":"ADMIN"}]}                   | is not of the form
            rw------- | {"tenants":[],"keys":[{"secret":"SECRET"                                                 | is not of the form
            rw------- | {"tenants":[],"keys":[{"name":"n","tenant":"default","role":"SECRET"}]}                  | is not of the form
            rw------- | {"tenants":[{"id":"SECRET"}],"keys":[]}                                                  | is not of the form
            rw------- | {}                                                                                       | is not of the form
            rw------- | null                                                                                     | is not of the form
            """)
    void aBadFileIsRefusedAndNoSecretIsTold(String mode, String text, String says) throws IOException {
        String secret = ApiKeySecret.generate().value();
        Path file = write(mode, text.replace("SECRET", secret));
        assertThatIllegalStateException()
                .isThrownBy(() -> BootstrapFile.read(file, JsonMapper.shared()))
                .withMessageContaining(says)
                .withMessageContaining(file.toString())
                .satisfies(e -> {
                    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                        assertThat(cause.toString()).doesNotContain(secret.substring(secret.lastIndexOf('_')));
                    }
                });
    }

    @Test
    void aGoodFileIsReadAndItsRecordsNeverPrintSecrets() throws IOException {
        String secret = ApiKeySecret.generate().value();
        Path file = write(
                "rw-------",
                "{\"tenants\":[{\"id\":\"default\"}],\"keys\":[{\"name\":\"n\",\"tenant\":\"default\",\"role\":\"ADMIN\",\"secret\":\""
                        + secret + "\"}]}");
        BootstrapFile plan = BootstrapFile.read(file, JsonMapper.shared());
        assertThat(plan.keys()).hasSize(1);
        assertThat(plan.toString()).doesNotContain(secret);
        assertThat(plan.keys().getFirst().parsed().toString()).doesNotContain(secret);
    }

    private Path write(String mode, String text) throws IOException {
        Path file = folder.resolve("bootstrap.json");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file;
    }
}
