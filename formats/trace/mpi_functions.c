/*
 * The functions of MPI that are known, by name, each with what its arguments are; then finding one
 * by the name of a symbol, of C or Fortran.
 */
#include "formats/trace/mpi_functions.h"

#include <ctype.h>
#include <string.h>

#define P2P  FT_MPI_POINT_TO_POINT
#define DONE FT_MPI_COMPLETION
#define COLL FT_MPI_COLLECTIVE
#define COMM FT_MPI_COMMUNICATOR
#define TYPE FT_MPI_DATATYPE
#define ENV  FT_MPI_ENVIRONMENT
#define IO   FT_MPI_FILE

static const struct ft_mpi_function functions[] = {
    {"Send", "bntdgc", P2P},
    {"Ssend", "bntdgc", P2P},
    {"Bsend", "bntdgc", P2P},
    {"Rsend", "bntdgc", P2P},
    {"Isend", "bntdgcq", P2P},
    {"Issend", "bntdgcq", P2P},
    {"Ibsend", "bntdgcq", P2P},
    {"Irsend", "bntdgcq", P2P},
    {"Recv", "BntshcS", P2P},
    {"Irecv", "Bntshcq", P2P},
    {"Sendrecv", "bntdgBntshcS", P2P},
    {"Sendrecv_replace", "bntdgshcS", P2P},
    {"Send_init", "bntdgcq", P2P},
    {"Ssend_init", "bntdgcq", P2P},
    {"Bsend_init", "bntdgcq", P2P},
    {"Rsend_init", "bntdgcq", P2P},
    {"Recv_init", "Bntshcq", P2P},
    {"Start", "Q", FT_MPI_START},
    {"Startall", "mw", FT_MPI_START},
    {"Wait", "QS", DONE},
    {"Waitall", "mwa", DONE},
    {"Waitany", "mwIS", DONE},
    {"Waitsome", "mwNAa", DONE},
    {"Test", "QFS", DONE},
    {"Testall", "mwFa", DONE},
    {"Testany", "mwIFS", DONE},
    {"Testsome", "mwNAa", DONE},
    {"Probe", "shcx", ENV},
    {"Iprobe", "shcxx", ENV},
    {"Request_free", "Q", ENV},
    {"Cancel", "Q", ENV},
    {"Barrier", "c", COLL},
    {"Bcast", "bntkc", COLL},
    {"Reduce", "bBntxkc", COLL},
    {"Allreduce", "bBntxc", COLL},
    {"Scan", "bBntxc", COLL},
    {"Exscan", "bBntxc", COLL},
    {"Reduce_scatter_block", "bBntxc", COLL},
    {"Gather", "bntBntkc", COLL},
    {"Scatter", "bntBntkc", COLL},
    {"Allgather", "bntBntc", COLL},
    {"Alltoall", "bntBntc", COLL},
    {"Gatherv", "bntBvxtkc", COLL},
    {"Scatterv", "bvxtBntkc", COLL},
    {"Allgatherv", "bntBvxtc", COLL},
    {"Alltoallv", "bvxtBvxtc", COLL},
    {"Ibarrier", "cq", COLL},
    {"Ibcast", "bntkcq", COLL},
    {"Ireduce", "bBntxkcq", COLL},
    {"Iallreduce", "bBntxcq", COLL},
    {"Igather", "bntBntkcq", COLL},
    {"Iscatter", "bntBntkcq", COLL},
    {"Iallgather", "bntBntcq", COLL},
    {"Ialltoall", "bntBntcq", COLL},
    {"Iallgatherv", "bntBvxtcq", COLL},
    {"Ialltoallv", "bvxtBvxtcq", COLL},
    {"Comm_rank", "cR", ENV},
    {"Comm_size", "cZ", ENV},
    {"Comm_dup", "cC", COMM},
    {"Comm_split", "clyC", COMM},
    {"Comm_dup_with_info", "cxC", COMM},
    {"Comm_split_type", "cjyxC", COMM},
    {"Comm_create", "ceC", COMM},
    {"Comm_create_group", "cexC", COMM},
    {"Cart_create", "cmpofC", COMM},
    {"Cart_sub", "cDC", COMM},
    {"Graph_create", "cxxxfC", COMM},
    {"Dist_graph_create", "cxxxxxxfC", COMM},
    {"Dist_graph_create_adjacent", "cxxxxxxxfC", COMM},
    {"Comm_group", "cG", ENV},
    {"Group_incl", "emiG", ENV},
    {"Group_excl", "emiG", ENV},
    {"Group_range_incl", "emrG", ENV},
    {"Group_range_excl", "emrG", ENV},
    {"Group_union", "eeG", ENV},
    {"Group_intersection", "eeG", ENV},
    {"Group_difference", "eeG", ENV},
    {"File_open", "cxxxH", IO},
    {"File_close", "J", IO},
    {"File_set_view", "zxxxxx", IO},
    {"File_set_size", "zx", IO},
    {"File_preallocate", "zx", IO},
    {"File_sync", "z", IO},
    {"File_read", "zBntS", IO},
    {"File_read_all", "zBntS", IO},
    {"File_read_at", "zOBntS", IO},
    {"File_read_at_all", "zOBntS", IO},
    {"File_read_shared", "zBntS", IO},
    {"File_read_ordered", "zBntS", IO},
    {"File_iread", "zBntq", IO},
    {"File_iread_all", "zBntq", IO},
    {"File_iread_at", "zOBntq", IO},
    {"File_iread_at_all", "zOBntq", IO},
    {"File_iread_shared", "zBntq", IO},
    {"File_read_all_begin", "zBnt", IO},
    {"File_read_all_end", "zxS", IO},
    {"File_read_at_all_begin", "zOBnt", IO},
    {"File_read_at_all_end", "zxS", IO},
    {"File_read_ordered_begin", "zBnt", IO},
    {"File_read_ordered_end", "zxS", IO},
    {"File_write", "zbntS", IO},
    {"File_write_all", "zbntS", IO},
    {"File_write_at", "zObntS", IO},
    {"File_write_at_all", "zObntS", IO},
    {"File_write_shared", "zbntS", IO},
    {"File_write_ordered", "zbntS", IO},
    {"File_iwrite", "zbntq", IO},
    {"File_iwrite_all", "zbntq", IO},
    {"File_iwrite_at", "zObntq", IO},
    {"File_iwrite_at_all", "zObntq", IO},
    {"File_iwrite_shared", "zbntq", IO},
    {"File_write_all_begin", "zbnt", IO},
    {"File_write_all_end", "zxS", IO},
    {"File_write_at_all_begin", "zObnt", IO},
    {"File_write_at_all_end", "zxS", IO},
    {"File_write_ordered_begin", "zbnt", IO},
    {"File_write_ordered_end", "zxS", IO},
    {"Type_contiguous", "ntT", TYPE},
    {"Type_vector", "nnxtT", TYPE},
    {"Type_create_hvector", "nnxtT", TYPE},
    {"Type_indexed", "mvxtT", TYPE},
    {"Type_create_hindexed", "mvxtT", TYPE},
    {"Type_create_indexed_block", "nnxtT", TYPE},
    {"Type_create_hindexed_block", "nnxtT", TYPE},
    {"Type_create_struct", "mvxuT", TYPE},
    {"Type_create_resized", "txxT", TYPE},
    {"Type_dup", "tT", TYPE},
    {"Type_create_subarray", "mxVxxtT", TYPE},
    {"Type_commit", "x", TYPE},
    {"Type_free", "x", TYPE},
    {"Init", "xx", ENV},
    {"Init_thread", "xxxx", ENV},
    {"Initialized", "x", ENV},
    {"Finalize", "", ENV},
    {"Finalized", "x", ENV},
    {"Abort", "cx", ENV},
    {"Wtime", "", ENV},
    {"Wtick", "", ENV},
    {"Cart_coords", "cxxx", ENV},
    {"Cart_rank", "cxx", ENV},
    {"Cart_shift", "cxxxx", ENV},
    {"Cart_get", "cxxxx", ENV},
    {"Dims_create", "xxx", ENV},
    {"Get_count", "xxx", ENV},
    {"Get_processor_name", "xx", ENV},
    {"Query_thread", "x", ENV},
    {"Type_size", "xx", ENV},
};

/* As Open MPI calls Fortran's bindings beside their own names, and what these convert handles and
 * statuses with. */
static bool is_of_fortran(const char *name)
{
    static const char *const endings[] = {"_f", "_f08", "_fts", "_f08ts", "_c2f", "_f2c"};
    const char *end = strrchr(name, '_');
    for (size_t i = 0; end && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(end, endings[i]) == 0)
            return true;
    return false;
}

bool ft_mpi_is_name(const char *name)
{
    if (*name == 'P')
        name++;
    /* Fortran's bindings have the same in lower or upper case */
    return strncmp(name, "MPI_", 4) == 0 && isupper((unsigned char)name[4]) &&
           islower((unsigned char)name[5]) && !is_of_fortran(name);
}

/* MPI_Comm_free is collective by the standard, so that it may wait for messages under way; it sends
 * none. */
bool ft_mpi_is_local(const char *name)
{
    static const char *const beginnings[] = {
        "Info_",
        "Op_",
        "Group_",
        "Errhandler_",
        "Error_",
        "Get_address",
        "Get_count",
        "Get_elements",
        "Get_hw_resource_info",
        "Get_library_version",
        "Get_processor_name",
        "Get_version",
        "Type_",
        "Attr_",
        "Keyval_",
        "Pack",
        "Unpack",
        "Status_",
        "Alloc_mem",
        "Free_mem",
        "Buffer_",
        "Address",
        "Aint_",
        "Topo_test",
        "Cartdim_get",
        "Is_thread_main",
        "Pcontrol",
        "Comm_free",
        "Comm_group",
        "Comm_compare",
        "Comm_get_",
        "Comm_set_",
        "Comm_test_",
        "Comm_delete",
        "Comm_call_err",
        "Comm_create_errhandler",
        "Comm_create_key",
        "Comm_free_keyval",
        "Request_get_status",
        "File_seek",
        "File_get_",
        "File_delete",
        "File_set_errhandler",
        "File_set_atomicity",
        "File_set_info",
    };
    if (!ft_mpi_is_name(name))
        return false;
    name += *name == 'P' ? 5 : 4;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

/* All but those whose names say that a rank does it by itself. Data move where a split collective
 * begins; its end moves none. */
bool ft_mpi_file_call_is_collective(const char *name)
{
    static const char *const by_all[] = {"_all",         "_ordered", "_begin",    "_end",
                                         "_open",        "_close",   "_set_view", "_set_size",
                                         "_preallocate", "_sync"};
    const char *file = strstr(name, "File_");
    for (size_t i = 0; file && i < sizeof by_all / sizeof *by_all; i++)
        if (strstr(file + 4, by_all[i]))
            return true;
    return false;
}

const struct ft_mpi_function *ft_mpi_function_find(const char *name)
{
    if (!ft_mpi_is_name(name))
        return NULL;
    name += *name == 'P' ? 5 : 4;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

const char *ft_mpi_key_name(uint64_t key)
{
    static const char *const names[FT_MPI_KEY_END] = {
        [FT_MPI_KEY_COMMUNICATOR] = "communicator",
        [FT_MPI_KEY_DESTINATION] = "destination",
        [FT_MPI_KEY_SOURCE] = "source",
        [FT_MPI_KEY_SENT_TAG] = "tag",
        [FT_MPI_KEY_RECEIVED_TAG] = "received_tag",
        [FT_MPI_KEY_SENT_BYTES] = "sent_bytes",
        [FT_MPI_KEY_RECEIVED_BYTES] = "received_bytes",
        [FT_MPI_KEY_REQUEST] = "request",
        [FT_MPI_KEY_ROOT] = "root",
        [FT_MPI_KEY_NEW_COMMUNICATOR] = "new_communicator",
        [FT_MPI_KEY_COLOUR] = "colour",
        [FT_MPI_KEY_ORDER] = "key",
        [FT_MPI_KEY_COMPLETED] = "completed",
        [FT_MPI_KEY_ALL_DONE] = "all_done",
        [FT_MPI_KEY_MATCHED_SOURCE] = "matched_source",
        [FT_MPI_KEY_MATCHED_TAG] = "matched_tag",
        [FT_MPI_KEY_MATCHED_BYTES] = "matched_bytes",
        [FT_MPI_KEY_RANK] = "rank",
        [FT_MPI_KEY_SIZE] = "size",
        [FT_MPI_KEY_SENT_PART] = "sent_part_bytes",
        [FT_MPI_KEY_RECEIVED_PART] = "received_part_bytes",
        [FT_MPI_KEY_UNKNOWN_BYTES] = "elements_of_unknown_size",
        [FT_MPI_KEY_PARTS] = "parts",
        [FT_MPI_KEY_WRAPS] = "wraps",
        [FT_MPI_KEY_MAY_REORDER] = "may_reorder",
        [FT_MPI_KEY_KEPT] = "kept",
        [FT_MPI_KEY_GROUP] = "group",
        [FT_MPI_KEY_NEW_GROUP] = "new_group",
        [FT_MPI_KEY_GROUP_RANK] = "group_rank",
        [FT_MPI_KEY_GROUP_RANGE] = "group_range",
        [FT_MPI_KEY_FILE] = "file",
        [FT_MPI_KEY_NEW_FILE] = "new_file",
        [FT_MPI_KEY_OFFSET] = "offset",
    };
    return key < FT_MPI_KEY_END && names[key] ? names[key] : "unknown";
}
