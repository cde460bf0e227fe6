package io.godwit.it.kv.node;

import java.util.zip.CRC32C;

/** Of registers in the order of their keys: how many there are, and a checksum of keys and values. */
public final class Digest {
    private final CRC32C checksum = new CRC32C();
    private long count;

    public void add(byte[] key, byte[] value) {
        count++;
        checksum.update(key);
        checksum.update(0);
        checksum.update(value);
        checksum.update(0);
    }

    @Override
    public String toString() {
        return count + ":" + Long.toHexString(checksum.getValue());
    }
}
