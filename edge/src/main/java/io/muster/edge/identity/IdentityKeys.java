package io.muster.edge.identity;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.RSAPublicKeySpec;
import java.util.Base64;
import java.util.Set;

/**
 * Makes the key files of one installation. What exists stays as it is, because tokens in use were signed with it; a
 * missing public key is derived from its private one. Each file appears whole or not at all, with mode 0600.
 */
public final class IdentityKeys {

    public static final String GATEWAY_PRIVATE = "gateway.pem";
    public static final String GATEWAY_PUBLIC = "gateway.pub.pem";
    public static final String NODE_PRIVATE = "node.pem";
    public static final String NODE_PUBLIC = "node.pub.pem";
    public static final String SERVICE_SECRET = "services.secret";

    private static final int RSA_BITS = 2048;
    private static final int SECRET_BYTES = 32;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private IdentityKeys() {}

    public static void createMissing(Path dir) {
        try {
            Files.createDirectories(dir);
            pair(dir.resolve(GATEWAY_PRIVATE), dir.resolve(GATEWAY_PUBLIC));
            pair(dir.resolve(NODE_PRIVATE), dir.resolve(NODE_PUBLIC));
            Path secret = dir.resolve(SERVICE_SECRET);
            if (!Files.exists(secret)) {
                byte[] bytes = new byte[SECRET_BYTES];
                new SecureRandom().nextBytes(bytes);
                write(secret, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes) + "\n");
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot make the key files in " + dir + ": " + e.getMessage(), e);
        }
    }

    private static void pair(Path privateFile, Path publicFile) throws IOException, GeneralSecurityException {
        if (!Files.exists(privateFile)) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(RSA_BITS);
            // a public key without its private one is of a pair that is lost
            Files.deleteIfExists(publicFile);
            write(
                    privateFile,
                    pem("PRIVATE KEY", generator.generateKeyPair().getPrivate().getEncoded()));
        }
        if (!Files.exists(publicFile)) {
            RSAPrivateKey key = KeyFiles.privateKey(privateFile);
            BigInteger exponent =
                    key instanceof RSAPrivateCrtKey full ? full.getPublicExponent() : BigInteger.valueOf(65_537);
            byte[] encoded = KeyFactory.getInstance("RSA")
                    .generatePublic(new RSAPublicKeySpec(key.getModulus(), exponent))
                    .getEncoded();
            write(publicFile, pem("PUBLIC KEY", encoded));
        }
    }

    private static String pem(String kind, byte[] encoded) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded)
                + "\n-----END " + kind + "-----\n";
    }

    private static void write(Path file, String text) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.deleteIfExists(part);
        Files.createFile(part, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Files.write(part, text.getBytes(StandardCharsets.US_ASCII), StandardOpenOption.WRITE);
        try {
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(part, file);
        }
    }
}
