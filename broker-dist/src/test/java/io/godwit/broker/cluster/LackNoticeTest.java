package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LackNoticeTest {
    private final LackNotice notice = new LackNotice();
    private final List<String> told = new ArrayList<>();

    private void look(String... lacks) {
        for (String lack : lacks) {
            notice.look(lack, told::add);
        }
    }

    @Test
    void aShortPauseIsNotReported() {
        look("", "no proof", "", "", "no proof", "");
        assertThat(told).isEmpty();
    }

    @Test
    void aLongLackAndItsEndAreReportedOnce() {
        look("", "no proof", "no proof", "no proof", "", "");
        assertThat(told).containsExactly("no proof", "");
    }

    @Test
    void anotherReasonIsToldWhenItLastsToo() {
        look("no proof", "no proof", "lapsed", "no proof", "lapsed", "lapsed", "");
        assertThat(told).containsExactly("no proof", "lapsed", "");
    }
}
