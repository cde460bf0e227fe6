package io.godwit.api.port;

/** The metrics of this node in the form of Prometheus. */
@FunctionalInterface
public interface MetricsSource {
    /**
     * Writes all metrics down. Called on worker threads of the API, never on an event loop, by one at a time. It takes
     * milliseconds, waits for nobody and does not throw.
     *
     * @param accept the media type that is wanted, {@code text/plain} or {@code application/openmetrics-text}; a source
     *     that lacks the latter answers the former
     */
    Scrape scrape(String accept);
}
