package io.godwit.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogTextTest {
    @Test
    void nothingSteersATerminalOrTurnsTheDirectionOfReading() {
        assertThat(LogText.of("a\u001b[2J\r\nINFO b\u2028c\u202ed\u200be\ud800f é"))
                .isEqualTo("a?[2J??INFO b?c?d?e?f é");
    }

    @Test
    void aLongValueIsCut() {
        assertThat(LogText.of("x".repeat(LogText.MAX_CHARS))).isEqualTo("x".repeat(LogText.MAX_CHARS));
        assertThat(LogText.of("x".repeat(65_535))).isEqualTo("x".repeat(LogText.MAX_CHARS) + "... of 65535");
        String pictures = "\ud83d\ude00".repeat(150);
        assertThat(LogText.of(pictures)).isEqualTo("\ud83d\ude00".repeat(128) + "... of 300");
        assertThat(LogText.of("\ud83d\ude00!", 1)).isEqualTo("?... of 3");
    }
}
