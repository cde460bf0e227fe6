package io.godwit.api.port;

/** The metrics of this node in the form of Prometheus. */
@FunctionalInterface
public interface MetricsSource {
    /**
     * Writes all metrics down. Called on worker threads of the API, never on an event loop, by one at a time. It takes
     * milliseconds, waits for nobody and does not throw.
     *
     * @param accept the Accept header of the request; empty when there is none. What it asks for and the source lacks is
     *     answered in the default form
     */
    Scrape scrape(String accept);
}
