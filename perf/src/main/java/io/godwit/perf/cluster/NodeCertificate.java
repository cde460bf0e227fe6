package io.godwit.perf.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * A certificate for 127.0.0.1 and its key, in PEM. All nodes of a cluster share it and trust no other.
 *
 * @param keyFile PKCS #8, not encrypted
 */
record NodeCertificate(Path certificateFile, Path keyFile) {
    private static final String ALIAS = "node";
    private static final String PASSWORD = "of-a-moment";
    private static final int KEYTOOL_SECONDS = 60;
    private static final int LINE = 64;

    /**
     * Creates a certificate with the JDK's {@code keytool}, valid for two days. Blocks for a second or two.
     *
     * @param directory for its files, which only their owner may read
     */
    static NodeCertificate make(Path directory) throws IOException, InterruptedException, ClusterFailedException {
        Path store = directory.resolve("node.p12");
        Path output = directory.resolve("keytool.out");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=godwit-perf",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean isDone;
        try {
            isDone = keytool.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) && keytool.exitValue() == 0;
        } finally {
            keytool.destroyForcibly();
        }
        if (!isDone) {
            throw new ClusterFailedException("no certificate for the nodes: "
                    + Files.readString(output, StandardCharsets.UTF_8).strip());
        }
        Files.delete(output);
        try {
            return written(directory, KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()));
        } catch (GeneralSecurityException e) {
            throw new ClusterFailedException("no certificate for the nodes: " + e.getMessage());
        } finally {
            Files.delete(store);
        }
    }

    private static NodeCertificate written(Path directory, KeyStore store)
            throws IOException, GeneralSecurityException {
        Key key = store.getKey(ALIAS, PASSWORD.toCharArray());
        NodeCertificate files = new NodeCertificate(directory.resolve("node.crt"), directory.resolve("node.key"));
        OwnerFiles.write(
                files.certificateFile,
                pem("CERTIFICATE", store.getCertificate(ALIAS).getEncoded()));
        OwnerFiles.write(files.keyFile, pem("PRIVATE KEY", key.getEncoded()));
        return files;
    }

    private static String pem(String what, byte[] encoded) {
        String text = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(encoded);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
}
