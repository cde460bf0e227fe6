package io.godwit.mqtt.leak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import org.junit.jupiter.api.Test;

class LeakCheckTest {
    private final LeakCheck.Recorder recorder = new LeakCheck.Recorder();
    private final ResourceLeakDetector<Object> detector = recorder.newResourceLeakDetector(Object.class, 1);

    @Test
    void itStandsBehindTheTestsOfThisModule() {
        assertThat(ResourceLeakDetectorFactory.instance()).isInstanceOf(LeakCheck.Recorder.class);
    }

    @Test
    void whatIsNotReleasedFailsTheCheck() {
        detector.track(new Object());
        assertThatThrownBy(recorder::check).isInstanceOf(AssertionError.class).hasMessageContaining("Object");
    }

    @Test
    void whatIsReleasedDoesNot() {
        Object resource = new Object();
        ResourceLeakTracker<Object> tracker = detector.track(resource);
        tracker.close(resource);
        assertThatCode(recorder::check).doesNotThrowAnyException();
    }
}
