package io.godwit.api.port.figure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScrapeFormatTest {
    private static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0";

    @Test
    void theFormatThatIsWantedMostIsTaken() {
        assertThat(ScrapeFormat.accepted("")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("*/*")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/json")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted(OPEN_METRICS)).isEqualTo(ScrapeFormat.OPEN_METRICS);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;version=1.0.0;q=0.5,"
                        + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2"))
                .isEqualTo(ScrapeFormat.OPEN_METRICS);
        assertThat(ScrapeFormat.accepted("text/plain, application/openmetrics-text;q=0.5"))
                .isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;q=0")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted("application/openmetrics-text;q=x")).isEqualTo(ScrapeFormat.TEXT);
        assertThat(ScrapeFormat.accepted(";,;,".repeat(10_000))).isEqualTo(ScrapeFormat.TEXT);
    }
}
