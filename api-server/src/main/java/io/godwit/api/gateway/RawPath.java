package io.godwit.api.gateway;

import org.jspecify.annotations.Nullable;

/**
 * Checks the raw path before the router normalizes it. Normalizing takes quadratic time in the number of needlessly
 * percent-encoded characters; and it removes empty, {@code .} and {@code ..} parts, so that the path would name another
 * resource.
 */
final class RawPath {
    /** Percent-encoded letters, digits and {@code -._~}; a client may encode some of an id needlessly. */
    static final int MAX_NEEDLESS = 1_000;

    private RawPath() {}

    /** @return false when the path must be refused. Takes linear time */
    static boolean isPlain(@Nullable String path) {
        if (path == null || !path.startsWith("/")) {
            return false;
        }
        int needless = 0;
        int begin = 1;
        boolean isDots = true; // whether the part so far has only dots or is empty
        for (int i = 1; i <= path.length(); i++) {
            if (i == path.length() || path.charAt(i) == '/') {
                boolean isLast = i == path.length();
                boolean isEmpty = i == begin;
                if (isEmpty ? !isLast : isDots && dots(path, begin, i) <= 2) {
                    return false;
                }
                begin = i + 1;
                isDots = true;
                continue;
            }
            char decoded = path.charAt(i);
            if (decoded == '%') {
                decoded = (char) encoded(path, i);
                needless += isUnreserved(decoded) ? 1 : 0;
                if (needless > MAX_NEEDLESS) {
                    return false;
                }
                i += 2;
            }
            isDots &= decoded == '.';
        }
        return true;
    }

    /** Number of dots in a part that has only dots. */
    private static int dots(String path, int begin, int end) {
        int dots = 0;
        for (int i = begin; i < end; i++) {
            i += path.charAt(i) == '%' ? 2 : 0;
            dots++;
        }
        return dots;
    }

    /** Both digits are there: other paths were refused before. */
    private static int encoded(String path, int percent) {
        return percent + 2 < path.length()
                ? Character.digit(path.charAt(percent + 1), 16) * 16 + Character.digit(path.charAt(percent + 2), 16)
                : 0;
    }

    private static boolean isUnreserved(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
    }
}
