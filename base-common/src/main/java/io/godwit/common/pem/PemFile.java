package io.godwit.common.pem;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CRL;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * The blocks of a PEM file (RFC 7468): certificates, keys and revocation lists. Text around them is skipped. Every
 * exception names the file and the error, and its message has no content of the file. Immutable; only the two methods
 * that read a file block.
 */
public final class PemFile {
    private static final int MAX_SMALL_BYTES = 1 << 20;
    private static final int MAX_SMALL_BLOCKS = 1_000;

    private static final String DASHES = "-----";
    private static final String BEGIN = DASHES + "BEGIN ";
    private static final String END = DASHES + "END ";

    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String PKCS8 = "PRIVATE KEY";
    /** What is tried for a key that does not tell its algorithm. */
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    /** @param body what is between the lines of BEGIN and END */
    private record Block(String label, String body) {
        /** An older form says so in a header, where PKCS #8 has a label of its own. */
        boolean isEncrypted() {
            return label.equals("ENCRYPTED " + PKCS8) || body.contains(",ENCRYPTED");
        }
    }

    private final Path file;
    private final List<Block> blocks = new ArrayList<>();
    /** Whether a block has no end; it is not in {@link #blocks}. */
    private final boolean isCut;

    private PemFile(Path file, int maxBytes) throws IOException {
        this.file = file;
        String text = text(file, maxBytes);
        boolean endIsMissing = false;
        int at = text.indexOf(BEGIN);
        while (at >= 0) {
            int labelEnd = text.indexOf(DASHES, at + BEGIN.length());
            int bodyEnd = labelEnd < 0 ? -1 : text.indexOf(DASHES, labelEnd + DASHES.length());
            String label = labelEnd < 0 ? "" : text.substring(at + BEGIN.length(), labelEnd);
            if (bodyEnd >= 0 && text.startsWith(END + label + DASHES, bodyEnd)) {
                blocks.add(new Block(label, text.substring(labelEnd + DASHES.length(), bodyEnd)));
                at = text.indexOf(BEGIN, bodyEnd + END.length());
            } else {
                endIsMissing = true;
                at = text.indexOf(BEGIN, at + BEGIN.length());
            }
        }
        isCut = endIsMissing;
    }

    /** Reads a file of any size; skips a block without an end. */
    public static PemFile read(Path file) throws IOException {
        return new PemFile(file, Integer.MAX_VALUE - 1);
    }

    /** Reads a file for a few certificates or keys: at most 1 MiB and 1,000 blocks, each with its end. */
    public static PemFile readSmall(Path file) throws IOException {
        PemFile small = new PemFile(file, MAX_SMALL_BYTES);
        if (small.isCut) {
            throw new IOException(file + ": a PEM block has no end");
        }
        if (small.blocks.size() > MAX_SMALL_BLOCKS) {
            throw new IOException(file + ": too many PEM blocks");
        }
        return small;
    }

    private static String text(Path file, int maxBytes) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(maxBytes + 1);
        } catch (NoSuchFileException e) {
            throw new IOException("no such file: " + file, e);
        } catch (AccessDeniedException e) {
            throw new IOException("no permission to read " + file, e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
        if (bytes.length > maxBytes) {
            throw new IOException(file + " is larger than " + maxBytes + " bytes");
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** All certificates, in the order of the file; at least one. */
    public List<X509Certificate> certificates() throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : ofKind(CERTIFICATE)) {
            certificates.add(certificate(block));
        }
        return certificates;
    }

    /** All revocation lists; at least one. */
    public List<CRL> revocationLists() throws IOException {
        List<CRL> lists = new ArrayList<>();
        for (Block block : ofKind("X509 CRL")) {
            try {
                lists.add(x509().generateCRL(new ByteArrayInputStream(der(block))));
            } catch (GeneralSecurityException e) {
                throw new IOException(file + " has a revocation list that cannot be read: " + e.getMessage(), e);
            }
        }
        return lists;
    }

    /** All public keys, including those of certificates, in the order of the file; at least one. */
    public List<PublicKey> publicKeys() throws IOException {
        List<PublicKey> keys = new ArrayList<>();
        for (Block block : blocks) {
            if (block.label().equals("PUBLIC KEY")) {
                X509EncodedKeySpec spec = new X509EncodedKeySpec(der(block));
                keys.add(key("public", ALGORITHMS, factory -> factory.generatePublic(spec)));
            } else if (block.label().equals(CERTIFICATE)) {
                keys.add(certificate(block).getPublicKey());
            } else {
                throw new IOException(file + " has a " + block.label() + ", expected are PUBLIC KEY and CERTIFICATE");
            }
        }
        if (keys.isEmpty()) {
            throw new IOException(file + " has no public key");
        }
        return keys;
    }

    /** The first private key: PKCS #8, or the older forms of RSA and EC keys. */
    public PrivateKey privateKey() throws IOException {
        Block block = firstKey();
        return switch (block.label()) {
            case PKCS8 -> privateKey(der(block), ALGORITHMS);
            case "RSA PRIVATE KEY" -> privateKey(OlderKeys.ofRsa(der(block)), List.of("RSA"));
            case "EC PRIVATE KEY" -> {
                byte[] pkcs8;
                try {
                    pkcs8 = OlderKeys.ofEc(der(block));
                } catch (IllegalArgumentException e) {
                    throw new IOException(file + " has an EC key that is damaged or does not name its curve", e);
                }
                yield privateKey(pkcs8, List.of("EC"));
            }
            default -> throw new IOException(file + " has a key of an unknown kind: " + block.label());
        };
    }

    /** The first private key, which must be PKCS #8. */
    public PrivateKey pkcs8Key() throws IOException {
        Block block = firstKey();
        if (!block.label().equals(PKCS8)) {
            throw new IOException(file + " has an " + block.label()
                    + ", expected PKCS #8; convert it by: openssl pkcs8 -topk8 -nocrypt -in FILE");
        }
        return privateKey(der(block), ALGORITHMS);
    }

    /** The first block of a private key of any kind; other blocks are curve parameters, or certificates of the key. */
    private Block firstKey() throws IOException {
        for (Block block : blocks) {
            if (block.label().endsWith(PKCS8)) {
                if (block.isEncrypted()) {
                    throw new IOException(
                            file + " is encrypted, and the broker cannot ask for its password: decrypt it");
                }
                return block;
            }
        }
        throw new IOException(file + " has no private key");
    }

    private PrivateKey privateKey(byte[] pkcs8, List<String> algorithms) throws IOException {
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
        return key("private", algorithms, factory -> factory.generatePrivate(spec));
    }

    private interface KeyMaker<K> {
        K make(KeyFactory factory) throws InvalidKeySpecException;
    }

    private <K> K key(String kind, List<String> algorithms, KeyMaker<K> maker) throws IOException {
        InvalidKeySpecException last = null;
        for (String algorithm : algorithms) {
            try {
                return maker.make(KeyFactory.getInstance(algorithm));
            } catch (InvalidKeySpecException e) {
                last = e;
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has " + algorithm, e);
            }
        }
        throw new IOException(file + " has a " + kind + " key that is damaged or of an unknown algorithm", last);
    }

    private X509Certificate certificate(Block block) throws IOException {
        try {
            return (X509Certificate) x509().generateCertificate(new ByteArrayInputStream(der(block)));
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has a certificate that cannot be read: " + e.getMessage(), e);
        }
    }

    private List<Block> ofKind(String label) throws IOException {
        List<Block> found =
                blocks.stream().filter(block -> block.label().equals(label)).toList();
        if (found.isEmpty()) {
            throw new IOException(file + " has no " + label);
        }
        return found;
    }

    private byte[] der(Block block) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(block.body());
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is not valid PEM: " + e.getMessage(), e);
        }
    }

    private static CertificateFactory x509() throws CertificateException {
        return CertificateFactory.getInstance("X.509");
    }
}
