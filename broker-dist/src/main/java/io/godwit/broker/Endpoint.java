package io.godwit.broker;

import java.util.Arrays;
import java.util.List;

/**
 * A network address as the configuration names it.
 *
 * @param port 1 to 65,535
 */
record Endpoint(String host, int port) {

    /** Reads {@code host:port,host:port}; blanks around commas are allowed. */
    static List<Endpoint> parseList(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(Endpoint::parse)
                .toList();
    }

    private static Endpoint parse(String text) {
        int colon = text.lastIndexOf(':');
        String problem = "must be host:port,host:port,... but has \"" + text + "\"";
        if (colon < 1) {
            throw new IllegalArgumentException(problem);
        }
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException(problem);
            }
            return new Endpoint(text.substring(0, colon), port);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(problem, e);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
