package io.godwit.api.port.figure;

/** The metrics of this node in Prometheus format. */
@FunctionalInterface
public interface MetricsSource {
    /**
     * Writes all metrics. Called by one worker thread of the API at a time, never on an event loop. Takes milliseconds,
     * waits for nothing and does not throw. The caller shares the result among concurrent requests.
     */
    Scrape scrape(ScrapeFormat format);
}
