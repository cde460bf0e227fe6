package io.godwit.broker.cluster;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Holds a part that other parts refer to before it exists. Set once by the wiring thread, read by any. */
public final class Late<T> implements Supplier<T> {
    private volatile @Nullable T value;

    public void set(T part) {
        value = part;
    }

    @Override
    public T get() {
        T part = value;
        if (part == null) {
            throw new IllegalStateException("used before it was wired");
        }
        return part;
    }
}
