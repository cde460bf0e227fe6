package io.godwit.mqtt.leak;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails the tests of this module when one of them has left a buffer or a TLS engine unreleased. JUnit finds this class
 * by its service file and makes it before the first test, hence before Netty makes its detectors. The check runs after
 * the last test, since a leak shows only when the garbage has been collected.
 */
public final class LeakCheck implements BeforeAllCallback {
    private static final Namespace NAMESPACE = Namespace.create(LeakCheck.class);
    private static final Recorder RECORDER = new Recorder();

    static {
        ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(RECORDER);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent("check", key -> (AutoCloseable) RECORDER::check);
    }

    /** Makes all detectors. */
    static final class Recorder extends ResourceLeakDetectorFactory {
        private final List<RecordingLeakDetector<?>> detectors = new CopyOnWriteArrayList<>();
        private final List<String> leaks = new CopyOnWriteArrayList<>();

        @Override
        @SuppressWarnings("deprecation") // abstract still
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(
                Class<T> resource, int samplingInterval, long maxActive) {
            return newResourceLeakDetector(resource, samplingInterval);
        }

        @Override
        public <T> ResourceLeakDetector<T> newResourceLeakDetector(Class<T> resource, int samplingInterval) {
            RecordingLeakDetector<T> detector = new RecordingLeakDetector<>(resource, samplingInterval, leaks);
            detectors.add(detector);
            return detector;
        }

        void check() throws InterruptedException {
            // twice: objects found by one collection may hold those that the next one finds
            for (int i = 0; i < 2; i++) {
                collectGarbage();
                detectors.forEach(RecordingLeakDetector::look);
            }
            if (!leaks.isEmpty()) {
                throw new AssertionError("leaks: " + leaks.size() + "\n" + String.join("\n", leaks));
            }
        }

        /** Returns when the collector has reported its findings. */
        private static void collectGarbage() throws InterruptedException {
            ReferenceQueue<Object> told = new ReferenceQueue<>();
            WeakReference<Object> garbage = new WeakReference<>(new Object(), told);
            System.gc();
            if (told.remove(TimeUnit.SECONDS.toMillis(30)) != garbage) {
                throw new AssertionError("the garbage is not collected");
            }
        }
    }
}
