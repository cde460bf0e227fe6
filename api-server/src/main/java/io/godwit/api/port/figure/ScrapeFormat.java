package io.godwit.api.port.figure;

import java.util.Locale;

/** The text formats for a scraper. */
public enum ScrapeFormat {
    /** Prometheus's own text format. */
    TEXT("text/plain; version=0.0.4; charset=utf-8"),
    OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

    private static final String OPEN_METRICS_TYPE = "application/openmetrics-text";
    /** No honest Accept header lists more media types. */
    private static final int MAX_KINDS = 32;

    private final String contentType;

    ScrapeFormat(String contentType) {
        this.contentType = contentType;
    }

    /** Value of the Content-Type header. */
    public String contentType() {
        return contentType;
    }

    /**
     * The format with the highest weight.
     *
     * @param accept the request's header [RFC9110-12.5.1]; empty without one. If it does not name OpenMetrics, the
     *     answer is {@link #TEXT}
     */
    public static ScrapeFormat accepted(String accept) {
        double text = 0;
        double openMetrics = 0;
        for (String kind : accept.toLowerCase(Locale.ROOT).split(",", MAX_KINDS)) {
            String[] parts = kind.split(";", MAX_KINDS);
            String type = parts[0].strip();
            if (type.equals(OPEN_METRICS_TYPE)) {
                openMetrics = Math.max(openMetrics, weight(parts));
            } else if (type.equals("text/plain") || type.equals("text/*")) {
                text = Math.max(text, weight(parts));
            }
        }
        return openMetrics > 0 && openMetrics >= text ? OPEN_METRICS : TEXT;
    }

    private static double weight(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip();
            if (parameter.startsWith("q=")) {
                try {
                    return Double.parseDouble(parameter.substring(2));
                } catch (NumberFormatException e) {
                    return 0;
                }
            }
        }
        return 1;
    }
}
