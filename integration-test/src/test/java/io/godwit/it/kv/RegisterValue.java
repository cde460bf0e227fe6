package io.godwit.it.kv;

import io.godwit.it.kv.history.Reply;
import io.godwit.it.kv.history.Request;
import org.jspecify.annotations.Nullable;

/**
 * The values of the load: an id that is used once, and behind it as much filling as follows from it, so that the store
 * has something to move. The history has the ids alone; a value whose filling is not what it should be stays as it is,
 * and then nobody has written it.
 */
final class RegisterValue {
    private RegisterValue() {}

    /** @param id a name, without blanks and {@code ~} */
    static String of(String id, int length) {
        return filled(id + '~' + length);
    }

    private static String filled(String head) {
        int length = Integer.parseInt(head.substring(head.indexOf('~') + 1));
        StringBuilder text = new StringBuilder(head).append('~');
        int state = head.hashCode();
        while (text.length() < length) {
            state = state * 1_103_515_245 + 12_345;
            text.append((char) ('a' + Math.floorMod(state >> 16, 26)));
        }
        return text.toString();
    }

    /** Without the filling, {@code id~length}. */
    private static @Nullable String shortened(@Nullable String value) {
        if (value == null) {
            return null;
        }
        int cut = value.lastIndexOf('~');
        String head = cut < 0 ? "" : value.substring(0, cut);
        return head.matches("[\\w.]+~\\d{1,6}") && filled(head).equals(value) ? head : value;
    }

    /** With the filling again; what is damaged stays damaged. */
    static String lengthened(String value) {
        return value.matches("[\\w.]+~\\d{1,6}") ? filled(value) : value;
    }

    static Request shortened(Request request) {
        return new Request(request.kind(), request.key(), shortened(request.value()), shortened(request.expected()));
    }

    static Reply shortened(Reply reply) {
        return new Reply(reply.kind(), shortened(reply.value()), reply.detail());
    }
}
