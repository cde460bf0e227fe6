package io.godwit.api.port;

/** The metrics of this node in the form of Prometheus. */
@FunctionalInterface
public interface MetricsSource {
    /**
     * Writes all metrics down. Called on worker threads of the API, never on an event loop, by one at a time. It takes
     * milliseconds, waits for nobody and does not throw. Whoever calls it shares the answer among those who ask.
     */
    Scrape scrape(ScrapeFormat format);
}
