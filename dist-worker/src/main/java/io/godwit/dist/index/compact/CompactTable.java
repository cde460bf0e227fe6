package io.godwit.dist.index.compact;

import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A map that costs one reference while it is small: null when empty, the element itself when there is one, an array up
 * to {@link #MAX_ARRAY}, a {@link ConcurrentHashMap} beyond. An index of a million filters has as many of these tables,
 * nearly all with one element.
 *
 * <p>The owner keeps the table in a volatile field and stores back the results of {@link #put} and {@link #remove}. One
 * writer at a time; readers need no lock: the small forms are never modified, the large one is concurrent. A table is
 * {@code Object} because a common supertype of its forms would cost the object header that this class avoids.
 */
public final class CompactTable {
    /** The largest array; beyond it scanning costs more than hashing. */
    static final int MAX_ARRAY = 8;

    /** An element that knows its key. */
    public interface Keyed<K> {
        K key();
    }

    private CompactTable() {}

    /** The element of {@code key}; the caller states the type that it has put in. */
    @SuppressWarnings("TypeParameterUnusedInFormals")
    public static <K, E extends Keyed<K>> @Nullable E get(@Nullable Object table, K key) {
        if (table == null) {
            return null;
        }
        if (table instanceof Object[] array) {
            int at = indexOf(array, key);
            return at < 0 ? null : element(array[at]);
        }
        if (table instanceof ConcurrentHashMap<?, ?> map) {
            Object found = map.get(key);
            return found == null ? null : element(found);
        }
        E only = element(table);
        return only.key().equals(key) ? only : null;
    }

    /** The table with {@code added} in place of the element with its key. */
    public static <K, E extends Keyed<K>> Object put(@Nullable Object table, E added) {
        if (table == null) {
            return added;
        }
        if (table instanceof ConcurrentHashMap<?, ?> map) {
            CompactTable.<K, E>map(map).put(added.key(), added);
            return table;
        }
        Object[] array = table instanceof Object[] several ? several : new Object[] {table};
        int at = indexOf(array, added.key());
        if (at >= 0) {
            if (array.length == 1) {
                return added;
            }
            Object[] replaced = array.clone();
            replaced[at] = added;
            return replaced;
        }
        if (array.length < MAX_ARRAY) {
            Object[] longer = Arrays.copyOf(array, array.length + 1);
            longer[array.length] = added;
            return longer;
        }
        ConcurrentHashMap<K, E> map = new ConcurrentHashMap<>(4 * MAX_ARRAY);
        for (Object element : array) {
            E e = element(element);
            map.put(e.key(), e);
        }
        map.put(added.key(), added);
        return map;
    }

    /** The table without {@code key}; null when it is empty. */
    public static @Nullable Object remove(@Nullable Object table, Object key) {
        if (table == null) {
            return null;
        }
        if (table instanceof ConcurrentHashMap<?, ?> map) {
            map.remove(key);
            // half the size at which the array became a map, so that one element going back and forth does not convert
            // it each time
            return map.size() > MAX_ARRAY / 2 ? table : map.values().toArray();
        }
        if (table instanceof Object[] array) {
            int at = indexOf(array, key);
            if (at < 0) {
                return table;
            }
            if (array.length == 2) {
                return array[1 - at];
            }
            Object[] shorter = new Object[array.length - 1];
            System.arraycopy(array, 0, shorter, 0, at);
            System.arraycopy(array, at + 1, shorter, at, shorter.length - at);
            return shorter;
        }
        return ((Keyed<?>) table).key().equals(key) ? null : table;
    }

    public static int size(@Nullable Object table) {
        if (table == null) {
            return 0;
        }
        if (table instanceof Object[] array) {
            return array.length;
        }
        return table instanceof ConcurrentHashMap<?, ?> map ? map.size() : 1;
    }

    /** Calls {@code action} for every element that is present during the whole call; others may be seen or not. */
    public static <E extends Keyed<?>> void forEach(@Nullable Object table, Consumer<? super E> action) {
        if (table == null) {
            return;
        }
        if (table instanceof Object[] array) {
            for (Object element : array) {
                action.accept(CompactTable.<E>element(element));
            }
        } else if (table instanceof ConcurrentHashMap<?, ?> map) {
            for (Object element : map.values()) {
                action.accept(CompactTable.<E>element(element));
            }
        } else {
            action.accept(CompactTable.<E>element(table));
        }
    }

    private static int indexOf(Object[] array, Object key) {
        for (int i = 0; i < array.length; i++) {
            if (((Keyed<?>) array[i]).key().equals(key)) {
                return i;
            }
        }
        return -1;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E> E element(Object element) {
        return (E) element;
    }

    @SuppressWarnings("unchecked")
    private static <K, E> ConcurrentHashMap<K, E> map(ConcurrentHashMap<?, ?> map) {
        return (ConcurrentHashMap<K, E>) map;
    }
}
