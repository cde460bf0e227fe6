package io.godwit.broker.auth.remote;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Reads keys and certificates from PEM files. Messages name the file, but contain no part of it. */
public final class Pem {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_BLOCKS = 1_000;
    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";
    /** The algorithms that are tried for a key. */
    private static final List<String> KINDS = List.of("RSA", "EC", "EdDSA");

    private Pem() {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Block(String label, byte[] content) {}

    /** The public keys of a file, including those of its certificates, in order; at least one. Blocks. */
    public static List<PublicKey> publicKeys(Path file) throws IOException {
        List<PublicKey> keys = new ArrayList<>();
        for (Block block : blocks(file)) {
            if (block.label().equals("PUBLIC KEY")) {
                keys.add(publicKey(file, block.content()));
            } else if (block.label().equals("CERTIFICATE")) {
                keys.add(certificate(file, block.content()).getPublicKey());
            } else {
                throw new IOException(
                        file + ": holds a " + block.label() + ", expected are PUBLIC KEY and CERTIFICATE");
            }
        }
        if (keys.isEmpty()) {
            throw new IOException(file + ": holds no public key");
        }
        return keys;
    }

    /** The certificates of a file, in order; at least one. Blocks. */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks(file)) {
            if (block.label().equals("CERTIFICATE")) {
                certificates.add(certificate(file, block.content()));
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException(file + ": holds no certificate");
        }
        return certificates;
    }

    /** The private key of a file, as PKCS #8 without a password. Blocks. */
    public static PrivateKey privateKey(Path file) throws IOException {
        for (Block block : blocks(file)) {
            if (block.label().equals("PRIVATE KEY")) {
                return privateKey(file, block.content());
            }
        }
        throw new IOException(file + ": holds no PRIVATE KEY (PKCS #8 without a password, as \"openssl pkcs8 -topk8 "
                + "-nocrypt\" writes it)");
    }

    private static List<Block> blocks(Path file) throws IOException {
        String text = new String(BoundedFile.read(file, MAX_BYTES), StandardCharsets.ISO_8859_1);
        List<Block> blocks = new ArrayList<>();
        int at = text.indexOf(BEGIN);
        while (at >= 0) {
            int labelEnd = text.indexOf(DASHES, at + BEGIN.length());
            int end = labelEnd < 0 ? -1 : text.indexOf(END, labelEnd);
            if (end < 0 || blocks.size() == MAX_BLOCKS) {
                throw new IOException(file + ": " + (end < 0 ? "a PEM block has no end" : "too many PEM blocks"));
            }
            String label = text.substring(at + BEGIN.length(), labelEnd);
            try {
                blocks.add(new Block(
                        label, Base64.getMimeDecoder().decode(text.substring(labelEnd + DASHES.length(), end))));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ": a PEM block is not Base64", e);
            }
            at = text.indexOf(BEGIN, end);
        }
        return blocks;
    }

    private static X509Certificate certificate(Path file, byte[] content) throws IOException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(content));
        } catch (GeneralSecurityException e) {
            throw new IOException(file + ": holds a certificate that cannot be read", e);
        }
    }

    private static PublicKey publicKey(Path file, byte[] content) throws IOException {
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePublic(new X509EncodedKeySpec(content));
            } catch (InvalidKeySpecException e) {
                // another kind of key
            } catch (NoSuchAlgorithmException e) {
                throw new IOException("this JVM has no " + kind + " keys", e);
            }
        }
        throw new IOException(file + ": holds a public key that is none of " + KINDS);
    }

    private static PrivateKey privateKey(Path file, byte[] content) throws IOException {
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(content));
            } catch (InvalidKeySpecException e) {
                // another kind of key
            } catch (NoSuchAlgorithmException e) {
                throw new IOException("this JVM has no " + kind + " keys", e);
            }
        }
        throw new IOException(file + ": holds a private key that is none of " + KINDS);
    }
}
