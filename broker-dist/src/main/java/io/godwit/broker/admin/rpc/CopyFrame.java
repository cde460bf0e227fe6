package io.godwit.broker.admin.rpc;

import java.util.Arrays;

/**
 * One message of a stream that copies ranges.
 *
 * <pre>
 * byte kind | JSON, or data of the file
 *
 * a range:  RANGE CopiedRange, then for each file: FILE CopiedFile, DATA ..., FILE_END FileEnd; then END CopyEnd
 * stores:   STORES CopiedStores, then each range
 * </pre>
 */
public final class CopyFrame {
    public static final byte STORES = 'S';
    public static final byte RANGE = 'R';
    public static final byte FILE = 'F';
    public static final byte DATA = 'D';
    public static final byte FILE_END = 'E';
    public static final byte END = 'Z';

    private CopyFrame() {}

    static byte[] of(byte kind, Object message) {
        byte[] json = AdminMethods.encode(message);
        return framed(kind, json, json.length);
    }

    /** Copies the first {@code length} bytes. */
    static byte[] data(byte[] bytes, int length) {
        return framed(DATA, bytes, length);
    }

    private static byte[] framed(byte kind, byte[] bytes, int length) {
        byte[] frame = new byte[1 + length];
        frame[0] = kind;
        System.arraycopy(bytes, 0, frame, 1, length);
        return frame;
    }

    public static byte kind(byte[] frame) {
        return frame.length == 0 ? 0 : frame[0];
    }

    public static <T> T message(byte[] frame, Class<T> type) {
        return AdminMethods.decode(frame, 1, type);
    }

    public static byte[] data(byte[] frame) {
        return Arrays.copyOfRange(frame, 1, frame.length);
    }
}
