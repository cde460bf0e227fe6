package io.godwit.broker;

/**
 * A network address as the configuration names it.
 *
 * @param port 1 to 65,535
 */
record Endpoint(String host, int port) {

    /** Reads {@code host:port}. */
    static Endpoint parse(String text) {
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
