package io.godwit.mqtt.transport.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.CRL;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates, keys and revocation lists. Every exception names the file and the error. Blocks. */
public final class PemFiles {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    private static final int DER_SEQUENCE = 0x30;
    private static final int DER_INTEGER = 0x02;
    private static final int DER_PARAMETERS = 0xA0;
    private static final int DER_OCTET_STRING = 0x04;
    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
    /** SEQUENCE { OID rsaEncryption, NULL }. */
    private static final byte[] RSA_ALGORITHM = {
        0x30, 0x0D, 0x06, 0x09, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00
    };
    /** OID id-ecPublicKey. */
    private static final byte[] EC_ALGORITHM = {0x06, 0x07, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 0x02, 0x01};

    private PemFiles() {}

    /** All certificates, in the order of the file; at least one. */
    public static List<X509Certificate> certificates(Path file) throws IOException {
        try {
            Collection<? extends Certificate> read =
                    x509().generateCertificates(new ByteArrayInputStream(ofKind(file, "CERTIFICATE")));
            List<X509Certificate> certificates = new ArrayList<>();
            for (Certificate certificate : read) {
                certificates.add((X509Certificate) certificate);
            }
            return certificates;
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has a certificate that cannot be read: " + e.getMessage(), e);
        }
    }

    /** All revocation lists; at least one. */
    public static Collection<? extends CRL> revocationLists(Path file) throws IOException {
        try {
            return x509().generateCRLs(new ByteArrayInputStream(ofKind(file, "X509 CRL")));
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has a revocation list that cannot be read: " + e.getMessage(), e);
        }
    }

    /** The private key in the file. */
    public static PrivateKey privateKey(Path file) throws IOException {
        Matcher block = BLOCK.matcher(text(file));
        while (block.find()) {
            String kind = block.group(1);
            if (!kind.endsWith("PRIVATE KEY")) {
                continue; // curve parameters, or certificates beside the key
            }
            byte[] der = der(file, block.group(2));
            return switch (kind) {
                case "PRIVATE KEY" -> key(file, der, "RSA", "EC", "EdDSA");
                case "RSA PRIVATE KEY" -> {
                    if (block.group(2).contains("ENCRYPTED")) {
                        throw encrypted(file);
                    }
                    yield key(file, pkcs8(RSA_ALGORITHM, der), "RSA");
                }
                case "EC PRIVATE KEY" -> {
                    if (block.group(2).contains("ENCRYPTED")) {
                        throw encrypted(file);
                    }
                    yield key(file, pkcs8(sequence(EC_ALGORITHM, curveOf(file, der)), der), "EC");
                }
                case "ENCRYPTED PRIVATE KEY" -> throw encrypted(file);
                default -> throw new IOException(file + " has a key of an unknown kind: " + kind);
            };
        }
        throw new IOException(file + " has no private key");
    }

    private static IOException encrypted(Path file) {
        return new IOException(file + " is encrypted, and the broker cannot ask for its password: decrypt it");
    }

    private static PrivateKey key(Path file, byte[] pkcs8, String... algorithms) throws IOException {
        InvalidKeySpecException last = null;
        for (String algorithm : algorithms) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                last = e;
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has " + algorithm, e);
            }
        }
        throw new IOException(file + " has a private key that is damaged or of an unknown algorithm", last);
    }

    /** A {@code PrivateKeyInfo} around a key in an older form (RFC 5208). */
    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        return sequence(VERSION_0, algorithm, tagged(DER_OCTET_STRING, key));
    }

    /**
     * The curve parameters of an {@code ECPrivateKey} (RFC 5915): SEQUENCE { INTEGER 1, OCTET STRING key, [0] curve,
     * ... }.
     */
    private static byte[] curveOf(Path file, byte[] der) throws IOException {
        try {
            ByteBuffer in = ByteBuffer.wrap(der);
            expect(in, DER_SEQUENCE);
            skip(in, DER_INTEGER);
            skip(in, DER_OCTET_STRING);
            byte[] curve = new byte[expect(in, DER_PARAMETERS)];
            in.get(curve);
            return curve;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new IOException(file + " has an EC key that is damaged or does not name its curve", e);
        }
    }

    private static void skip(ByteBuffer in, int tag) {
        int length = expect(in, tag);
        in.position(in.position() + length);
    }

    /** Reads a tag and returns the length after it. */
    private static int expect(ByteBuffer in, int tag) {
        int found = in.get() & 0xFF;
        int length = in.get() & 0xFF;
        if (length == 0x81) {
            length = in.get() & 0xFF;
        }
        if (found != tag || length == 0x80 || length > in.remaining()) {
            throw new IllegalArgumentException("tag " + found + " of length " + length);
        }
        return length;
    }

    private static byte[] sequence(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return tagged(DER_SEQUENCE, all.toByteArray());
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    /** The PEM blocks of one kind, unchanged; text between them is skipped. */
    private static byte[] ofKind(Path file, String kind) throws IOException {
        StringBuilder blocks = new StringBuilder();
        Matcher block = BLOCK.matcher(text(file));
        while (block.find()) {
            if (block.group(1).equals(kind)) {
                blocks.append(block.group()).append('\n');
            }
        }
        if (blocks.isEmpty()) {
            throw new IOException(file + " has no " + kind);
        }
        return blocks.toString().getBytes(StandardCharsets.US_ASCII);
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
        } catch (AccessDeniedException e) {
            throw new IOException("no permission to read " + file, e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private static CertificateFactory x509() throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509");
    }
}
