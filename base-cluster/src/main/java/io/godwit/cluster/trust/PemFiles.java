package io.godwit.cluster.trust;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PEM certificates and keys. Every error names the file and what is wrong with it. Blocks. */
final class PemFiles {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    private PemFiles() {}

    /** All certificates, in the order of the file; at least one. */
    static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        Matcher block = BLOCK.matcher(text(file));
        while (block.find()) {
            if (block.group(1).equals("CERTIFICATE")) {
                certificates.add(certificate(file, der(file, block.group(2))));
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException(file + " has no certificate");
        }
        return certificates;
    }

    private static X509Certificate certificate(Path file, byte[] der) throws IOException {
        try {
            Certificate read =
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
            return (X509Certificate) read;
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has a certificate that cannot be read: " + e.getMessage(), e);
        }
    }

    /** The first private key of the file. */
    static PrivateKey privateKey(Path file) throws IOException {
        Matcher block = BLOCK.matcher(text(file));
        while (block.find()) {
            String kind = block.group(1);
            if (kind.equals("PRIVATE KEY")) {
                return key(file, der(file, block.group(2)));
            }
            if (kind.equals("ENCRYPTED PRIVATE KEY")) {
                throw new IOException(file + " is encrypted, and a node cannot ask for its password: decrypt it");
            }
            if (kind.endsWith("PRIVATE KEY")) {
                throw new IOException(file + " has an " + kind
                        + ", expected PKCS #8; convert it by: openssl pkcs8 -topk8 -nocrypt -in FILE");
            }
        }
        throw new IOException(file + " has no private key");
    }

    private static PrivateKey key(Path file, byte[] pkcs8) throws IOException {
        InvalidKeySpecException last = null;
        for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                last = e;
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every JDK has " + algorithm, e);
            }
        }
        throw new IOException(file + " has a private key that is damaged or of an unknown algorithm", last);
    }

    private static byte[] der(Path file, String base64) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is not valid PEM: " + e.getMessage(), e);
        }
    }

    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            throw new IOException("no such file: " + file, e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
