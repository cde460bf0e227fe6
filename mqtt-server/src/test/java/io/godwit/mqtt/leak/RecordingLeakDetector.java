package io.godwit.mqtt.leak;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import java.util.List;

/** Netty's detector, except that reports are kept instead of logged, so that they can fail the build. Any thread. */
final class RecordingLeakDetector<T> extends ResourceLeakDetector<T> {
    private final List<String> leaks;

    /** @param leaks takes the reports; thread-safe */
    RecordingLeakDetector(Class<?> resource, int samplingInterval, List<String> leaks) {
        super(resource, samplingInterval);
        this.leaks = leaks;
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        leaks.add(resourceType + " was not released" + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        leaks.add(resourceType + " was not released");
    }

    /** Reports what has been collected so far: Netty does so only when the next resource of the kind is made. */
    @SuppressWarnings("unchecked") // a detector looks at no more of a resource than its identity
    void look() {
        T probe = (T) new Object();
        ResourceLeakTracker<T> tracker = trackForcibly(probe);
        tracker.close(probe);
    }
}
