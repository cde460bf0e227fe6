package io.godwit.common.pem;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Puts private keys in the older forms of OpenSSL into a {@code PrivateKeyInfo} (PKCS #8, RFC 5208). */
final class OlderKeys {
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

    private OlderKeys() {}

    /** @param key an {@code RSAPrivateKey} (RFC 8017) */
    static byte[] ofRsa(byte[] key) {
        return pkcs8(RSA_ALGORITHM, key);
    }

    /**
     * @param key an {@code ECPrivateKey} (RFC 5915): SEQUENCE { INTEGER 1, OCTET STRING key, [0] curve, ... }
     * @throws IllegalArgumentException if it is damaged or does not name its curve
     */
    static byte[] ofEc(byte[] key) {
        return pkcs8(sequence(EC_ALGORITHM, curveOf(key)), key);
    }

    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        return sequence(VERSION_0, algorithm, tagged(DER_OCTET_STRING, key));
    }

    private static byte[] curveOf(byte[] der) {
        try {
            ByteBuffer in = ByteBuffer.wrap(der);
            expect(in, DER_SEQUENCE);
            skip(in, DER_INTEGER);
            skip(in, DER_OCTET_STRING);
            byte[] curve = new byte[expect(in, DER_PARAMETERS)];
            in.get(curve);
            return curve;
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("too short", e);
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
}
