package io.muster.checkpoint.catalog;

import io.muster.checkpoint.member.Seat;
import io.muster.contract.id.NodeId;
import io.muster.contract.id.TenantId;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a report may speak of: shards of one checkpoint, of the ranks that the reporting node runs, in the folder that the
 * checkpoint has in the store. A node between two placements of a job has a seat in each and runs the ranks of both.
 *
 * @param tenant of the job
 */
record ReportScope(TenantId tenant, Checkpoint checkpoint, NodeId from, List<Seat> seats) {

    private static final String ROOT = "checkpoints/";

    ReportScope {
        seats = List.copyOf(seats);
    }

    boolean runs(int rank) {
        return seats.stream().anyMatch(seat -> seat.runs(rank, checkpoint.worldSize()));
    }

    String ranks() {
        return seats.stream().map(seat -> seat.ranks(checkpoint.worldSize())).collect(Collectors.joining(" and "));
    }

    /** Where the shard lies; the folder between is the job's own choice. */
    boolean isPlaceOf(int rank, String path) {
        return path.startsWith(ROOT) && path.endsWith(place(rank));
    }

    String placeInWords(int rank) {
        return "checkpoints/FOLDER" + place(rank);
    }

    private String place(int rank) {
        return "/" + tenant + "/" + checkpoint.jobId() + "/" + checkpoint.id() + "/rank-" + rank + ".shard";
    }
}
