package io.godwit.cluster.link.message;

/** The versions of a protocol that one end supports, from {@code least} to {@code most}. Versions count from 1. */
public record VersionRange(int least, int most) {
    public VersionRange {
        if (least < 1 || most < least) {
            throw new IllegalArgumentException("no versions are between " + least + " and " + most);
        }
    }

    public boolean includes(int version) {
        return version >= least && version <= most;
    }

    /** The highest common version; 0 if there is none. */
    public int highestCommon(VersionRange other) {
        int highest = Math.min(most, other.most);
        return highest >= Math.max(least, other.least) ? highest : 0;
    }

    @Override
    public String toString() {
        return least == most ? "version " + most : "versions " + least + " to " + most;
    }
}
