package io.muster.edge.identity;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.converter.Converter;
import org.springframework.security.converter.RsaKeyConverters;

/**
 * Reads key files. A file that is missing, is not a key, or holds a secret that everybody on the machine can read stops
 * the service at its start, with the file's name and never with its content.
 */
final class KeyFiles {

    private static final int SECRET_BYTES = 32;

    private KeyFiles() {}

    static RSAPublicKey publicKey(Path file) {
        return read(file, "an RSA public key (PEM, X.509)", RsaKeyConverters.x509());
    }

    static RSAPrivateKey privateKey(Path file) {
        refuseOpenToAll(file);
        return read(file, "an RSA private key (PEM, PKCS#8)", RsaKeyConverters.pkcs8());
    }

    static SecretKey secret(Path file) {
        refuseOpenToAll(file);
        return read(file, "a secret of " + SECRET_BYTES + " bytes or more in base64url", in -> {
            byte[] secret = Base64.getUrlDecoder().decode(text(in).strip());
            if (secret.length < SECRET_BYTES) {
                throw new IllegalArgumentException("too short");
            }
            return new SecretKeySpec(secret, "HmacSHA256");
        });
    }

    private static String text(InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static <K> K read(Path file, String what, Converter<InputStream, K> converter) {
        try (InputStream in = Files.newInputStream(file)) {
            @Nullable K key = converter.convert(in);
            if (key == null) {
                throw new IllegalStateException(file + " is not " + what);
            }
            return key;
        } catch (NoSuchFileException e) {
            throw new IllegalStateException(
                    file + " does not exist; it should hold " + what + ". `./muster up` makes it.", e);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + file + ", which should hold " + what, e);
        } catch (IllegalArgumentException e) {
            // without the cause: its message may quote the file
            throw new IllegalStateException(file + " is not " + what);
        }
    }

    private static void refuseOpenToAll(Path file) {
        try {
            if (Files.exists(file) && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
                throw new IllegalStateException(
                        file + " holds a secret and everybody on this machine can read it; run: chmod 600 " + file);
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the mode of " + file, e);
        }
    }
}
